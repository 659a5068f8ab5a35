/** A JSON Schema of the dialect that OpenAPI 3.1 and 3.2 use (draft 2020-12). */
export interface Schema { readonly [keyword: string]: unknown }

export interface Parameter {
  readonly name: string
  readonly in: 'query' | 'path' | 'header'
  readonly required?: boolean
  readonly description: string
  readonly schema: Schema
  readonly style?: 'form'
  readonly explode?: boolean
}

/** Contents by media type. `itemSchema` (3.2) describes the items of a stream. */
export type Content = Readonly<Record<string, { readonly schema?: Schema, readonly itemSchema?: Schema }>>

export interface Response {
  readonly description: string
  readonly headers?: Readonly<Record<string, { readonly description: string, readonly schema: Schema }>>
  readonly content?: Content
  readonly links?: Readonly<Record<string, OperationLink>>
}

/** The operation that an answer leads to; `parameters` are runtime expressions. */
export interface OperationLink {
  readonly operationId: string
  readonly description: string
  readonly parameters: Readonly<Record<string, string>>
}

/** A type and not an interface, so that a reference is a schema as well. */
export type SchemaReference = { readonly $ref: string }

export type Parameters = ReadonlyArray<Parameter | SchemaReference>

export interface RequestBody { readonly required: boolean, readonly content: Content }

export interface DocumentOperation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly parameters?: Parameters
  readonly requestBody?: RequestBody
  readonly responses: Readonly<Record<string, Response | SchemaReference>>
}

/** The methods that an operation can have. `query` is of OpenAPI 3.2. */
export type OperationMethod = 'get' | 'post' | 'put' | 'patch' | 'delete' | 'query'

export type PathItem = Readonly<Partial<Record<OperationMethod, DocumentOperation>>> & {
  readonly parameters?: Parameters
}

interface Server { readonly url: string, readonly description?: string }

/** An OpenAPI document, as far as this plugin makes one. */
export interface Document {
  readonly openapi: '3.1.1' | '3.2.0'
  readonly info: { readonly title: string, readonly version: string, readonly [member: string]: unknown }
  readonly servers: readonly Server[]
  readonly tags: ReadonlyArray<{ readonly name: string, readonly description: string }>
  readonly paths: Readonly<Record<string, PathItem>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly responses: Readonly<Record<string, Response>>
    readonly parameters: Readonly<Record<string, Parameter>>
    readonly securitySchemes?: Readonly<Record<string, unknown>>
  }
  readonly security?: ReadonlyArray<Readonly<Record<string, readonly string[]>>>
}
