/**
 * What `Headers` has for whoever makes a request: packages of models and of servers use all of it. Node's own brings a whole HTTP
 * client along, which costs a start more than everything else that is loaded for the first request.
 */
export class Headers {
  #fields = new Map();

  constructor(fields = {}) {
    for (const [name, value] of Symbol.iterator in fields ? fields : Object.entries(fields)) this.append(name, value);
  }

  has(name) {
    return this.#fields.has(name.toLowerCase());
  }

  get(name) {
    return this.#fields.get(name.toLowerCase()) ?? null;
  }

  set(name, value) {
    this.#fields.set(name.toLowerCase(), String(value));
  }

  append(name, value) {
    const before = this.get(name);
    this.set(name, before === null ? value : `${before}, ${value}`);
  }

  delete(name) {
    this.#fields.delete(name.toLowerCase());
  }

  keys() {
    return this.#fields.keys();
  }

  values() {
    return this.#fields.values();
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
