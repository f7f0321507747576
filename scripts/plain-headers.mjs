/**
 * The part of `Headers` that the models' packages use on their way to a request. Node's own brings a whole HTTP
 * client along, which costs a start more than everything else that is loaded for the first request.
 */
export class Headers {
  #fields = new Map();

  constructor(fields = {}) {
    for (const [name, value] of Symbol.iterator in fields ? fields : Object.entries(fields)) this.set(name, value);
  }

  get(name) {
    return this.#fields.get(name.toLowerCase()) ?? null;
  }

  set(name, value) {
    this.#fields.set(name.toLowerCase(), String(value));
  }

  entries() {
    return this.#fields.entries();
  }

  [Symbol.iterator]() {
    return this.#fields.entries();
  }

  forEach(visit) {
    for (const [name, value] of this.#fields) visit(value, name, this);
  }
}
