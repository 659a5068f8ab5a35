/** A value of JSON with its text, whose numbers no double need be equal to. */
export class ExactJson {
  readonly text: string
  readonly value: unknown

  constructor (text: string, value: unknown) {
    this.text = text
    this.value = value
  }
}
