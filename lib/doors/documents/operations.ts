import {
  affected, allChanged, valueChanged, badRequest, batchDone, changed, conflict, created, deleted, deletedSilently,
  directory, failed, failedPrecondition, groups, item, itemOrNull, linked, notFound, notModified, page, tried, updated,
  updatedSilently, upserted, value, written, writtenSilently
} from './answers.ts'
import {
  allChanges, allLinks, amendment, asQuery, batch, eachChange, newItem, newOrLinked, newValue, patch, update, valuePatch
} from './bodies.ts'
import { type OnCollection, type OnFields, type OnRelation, type OnResource, type OnRoot, when } from './needs.ts'
import {
  acknowledged, creation, deletedMany, field, fields, filters, ifMatch, ifNoneMatch, listing, onlyCreate, returned,
  returnedFields, updateOfMany, where, withCount
} from './parameters.ts'
import type { OperationRow, OperationRows } from './write.ts'

const ofRead = { 304: notModified, 400: badRequest, default: failed }
const ofWrite = { 400: badRequest, 404: notFound, 409: conflict, 412: failedPrecondition, default: failed }
const onSomeItems = { someItems: 'It is not allowed for every item: `Allow` tells, in the answer to OPTIONS.' }
const ofNewItems = {
  plainNames: 'The body is the new item.',
  otherwise: 'The body is an item, or many that are created all or none.'
}

// The rows of two kinds: of what the path of a collection leads to, and of what is behind a relation of its item.

const list: OperationRow<OnResource> = {
  id: 'list_{list}',
  summary: 'List {in}',
  description: [{
    linksInBody: 'The answer is a page; `page.next` leads to the next one.',
    linksInHeader: 'The answer is a page; `Link` leads to the next one.',
    otherwise: 'The answer is a page.'
  }],
  parameters: [filters, ...listing, withCount, ifNoneMatch],
  answers: { 200: page, ...ofRead, 404: when(['behind'], notFound) }
}

const query: OperationRow<OnResource> = {
  needs: ['streams'],
  id: 'query_{list}',
  summary: 'List {in}',
  description: [
    'As GET, for queries that are too long for a URL: the body is the query string.',
    'Where that cannot pass, a POST of it with `X-HTTP-Method-Override: QUERY` is the same.'
  ],
  parameters: [withCount, ifNoneMatch],
  body: asQuery([filters, ...listing]),
  answers: list.answers
}

const updateMany: ReadonlyArray<OperationRow<OnResource>> = [
  {
    needs: ['updatesAll'],
    id: 'update_many_{list}',
    summary: 'Update all items that a filter finds in {all}',
    description: ['A filter is required. All are written, or none.'],
    parameters: updateOfMany,
    body: allChanges,
    answers: { 200: allChanged, 201: when(['upsertsEach'], allChanged), 204: updatedSilently, ...ofWrite }
  },
  {
    needs: ['namedFilters'],
    id: 'update_many_{list}',
    summary: 'Update items of {all}',
    description: ['Each element names an item by an identifier. All are updated, or none.'],
    parameters: returnedFields,
    body: eachChange,
    answers: { 200: changed, 201: when(['upsertsEach'], changed), 204: updatedSilently, ...ofWrite }
  }
]

const deleteMany: OperationRow<OnResource> = {
  id: 'delete_many_{list}',
  summary: 'Delete all items that a filter finds in {all}',
  description: ['A filter is required. All are written, or none.'],
  parameters: [filters, where, deletedMany],
  answers: { 200: affected, 204: deletedSilently, ...ofWrite }
}

const updateOne: OperationRow<OnResource> = {
  needs: ['updates'],
  id: { allUpdates: '{method}_{item}', otherwise: 'update_{item}' },
  summary: { upserts: 'Update or create {one}', otherwise: 'Update {one}' },
  description: ['The update is partial: members that the body leaves out keep their values.', onSomeItems],
  parameters: [...returnedFields, ifMatch, onlyCreate],
  body: update,
  answers: { 200: updated, 201: when(['upserts'], upserted), 204: updatedSilently, ...ofWrite }
}

const patchOne: OperationRow<OnResource> = { ...updateOne, body: patch }

const deleteOne: OperationRow<OnResource> = {
  id: 'delete_{item}',
  summary: { unlinks: 'Unlink {one}', otherwise: 'Delete {one}' },
  description: [
    { unlinks: 'Both items stay.', otherwise: 'The application decides if what refers to it is deleted as well.' },
    onSomeItems
  ],
  parameters: [acknowledged, ifMatch],
  answers: { 200: deleted, 204: deletedSilently, ...ofWrite }
}

/**
 * The operations of a document, by kind of resource and method: a new one is one row. Of several rows, the first whose
 * needs (describing.ts) are met is written, and so is the first text of `{ need: text }`. Blanks of texts are filled in
 * write.ts. Where an API has keys of writes, every write takes one.
 */
export const operations: {
  readonly root: OperationRows<OnRoot>
  readonly collection: OperationRows<OnResource>
  readonly subCollection: OperationRows<OnRelation>
  readonly item: OperationRows<OnResource>
  readonly subItem: OperationRows<OnRelation>
  readonly scalar: OperationRows<OnFields>
  readonly dictionary: OperationRows<OnCollection>
} = {
  root: {
    get: {
      needs: ['directory'],
      id: 'list_collections',
      summary: 'List the collections',
      description: ['The name of a collection is the first segment of its paths.'],
      parameters: [ifNoneMatch],
      answers: { 200: directory, ...ofRead }
    },
    post: {
      needs: ['batches', 'takesBatches'],
      id: 'write_batch',
      summary: 'Write several items at once',
      description: [
        'Runs the operations in their order in one transaction: all are done, or none.',
        'An error tells the index of its `operation`.'
      ],
      parameters: [returned],
      body: batch,
      answers: { 200: batchDone, ...ofWrite }
    }
  },
  collection: {
    get: list,
    post: {
      needs: ['nameable'],
      id: 'create_{list}',
      summary: 'Create in {in}',
      description: [ofNewItems],
      parameters: creation,
      body: newItem,
      answers: { 200: tried, 201: created, 400: badRequest, 409: conflict, default: failed }
    },
    patch: updateMany,
    delete: deleteMany,
    query
  },
  subCollection: {
    get: list,
    post: {
      needs: ['nameable'],
      id: 'create_{list}',
      summary: 'Create or link in {in}',
      description: [ofNewItems],
      parameters: creation,
      body: newOrLinked,
      answers: {
        200: linked,
        201: created,
        204: updatedSilently,
        400: badRequest,
        404: notFound,
        409: conflict,
        default: failed
      }
    },
    put: {
      id: 'replace_{list}',
      summary: 'Replace {in}',
      description: [{
        creates: 'Links the items of the array, creates those that do not exist, and unlinks all others.',
        otherwise: 'Links the items of the array, and unlinks all others.'
      }],
      parameters: [acknowledged],
      body: allLinks,
      answers: { 200: linked, 204: updatedSilently, ...ofWrite }
    },
    patch: updateMany,
    delete: deleteMany,
    query
  },
  item: {
    get: {
      id: 'get_{item}',
      summary: 'Read {one}',
      description: ['The answer has all fields but hidden ones.'],
      parameters: [fields, ifNoneMatch],
      answers: { 200: item, ...ofRead, 404: notFound }
    },
    put: updateOne,
    patch: patchOne,
    delete: deleteOne
  },
  subItem: {
    get: {
      id: 'get_{item}',
      summary: 'Read {one}',
      description: ['The answer is null where there is none.'],
      parameters: [fields, ifNoneMatch],
      answers: { 200: itemOrNull, ...ofRead, 404: notFound }
    },
    put: updateOne,
    patch: patchOne,
    delete: deleteOne
  },
  scalar: {
    get: {
      id: 'get_{tag}_field',
      summary: 'Read the value of one field of an item of {tag}',
      description: ['The answer is the value alone, as JSON.'],
      parameters: [field, ifNoneMatch],
      answers: { 200: value, ...ofRead, 404: notFound }
    },
    put: {
      id: 'put_{tag}_field',
      summary: 'Write the value of one field of an item of {tag}',
      description: ['The body is the new value alone, as JSON.'],
      parameters: [field, returned, ifMatch],
      body: newValue,
      answers: { 200: written, 204: writtenSilently, 405: failed, ...ofWrite }
    },
    post: {
      id: 'change_{tag}_field',
      summary: 'Change the value of one field of an item of {tag} by what it is',
      description: [
        'Adds a number to it, appends an element to a list, or removes all elements that are equal to one.'
      ],
      parameters: [field, returned, ifMatch],
      body: amendment,
      answers: { 200: valueChanged, 204: writtenSilently, 405: failed, ...ofWrite }
    },
    patch: {
      id: 'merge_{tag}_field',
      summary: 'Merge into the value of one field of an item of {tag}',
      description: ['The body is a merge patch (RFC 7396) of a value of JSON.'],
      parameters: [field, returned, ifMatch],
      body: valuePatch,
      answers: { 200: written, 204: writtenSilently, 405: failed, ...ofWrite }
    }
  },
  dictionary: {
    get: {
      id: 'group_{tag}',
      summary: 'Read {tag} by the value of a field',
      description: [
        'A member for each value: the item for an identifier, else the items that share the value;',
        'with functions such as `fields=count()`, values of the group.'
      ],
      parameters: [...listing, withCount, ifNoneMatch],
      answers: { 200: groups, ...ofRead }
    }
  }
}
