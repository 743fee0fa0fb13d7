import { Node } from './node.ts'

/** Stands for what a reference leads to, where that cannot be read. References to the same share it. */
export class Missing extends Node {
  /** The last part of the reference. */
  readonly name: string
  readonly #reference: Node

  /** In the place where it would be: under a key of its parent. */
  constructor(reference: Node, text: string, parent: Node, key: string) {
    super(parent.source, text, parent, key)
    this.#reference = reference
    this.name = text
      .replace(/'$/, '')
      .replace(/.*[/#]/s, '')
      .replace(/\.\w+$/, '')
  }

  override get place() {
    return (this.#reference.get('$ref') ?? this.#reference).place
  }
}
