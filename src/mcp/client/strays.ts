const mostInARow = 1000;
const longestShown = 200;

/** Lines of a server that are no messages. A few of them are common; they are told of once, with how many they were. */
export class Strays {
  readonly #note: (text: string) => void;
  #inARow = 0;
  #untold = 0;
  #total = 0;
  #tellAt = 1;
  #first = "";

  constructor(note: (text: string) => void) {
    this.#note = note;
  }

  /** Why to give up whoever sent it, once these were too many. */
  add(line: string): string | undefined {
    if (this.#untold === 0) this.#first = line.slice(0, longestShown);
    this.#inARow += 1;
    this.#untold += 1;
    this.#total += 1;
    if (this.#inARow < mostInARow) return undefined;
    this.#untold = 0;
    const last = line.slice(0, longestShown);
    return `It was given up: the last ${mostInARow} lines of its output are no messages of the protocol, which alone belong there. The last of them: ${last}`;
  }

  /** A message came, or nothing comes any more. */
  end(): void {
    if (this.#untold === 0) return;
    this.#inARow = 0;
    // One that does it all the time is told of ever more rarely.
    if (this.#total < this.#tellAt) return;
    this.#tellAt = this.#total * 10;
    const many = `${this.#untold} lines that are no messages of the protocol, the first of them`;
    this.#note(`It sent ${this.#untold === 1 ? "a line that is no message of the protocol" : many}: ${this.#first}`);
    this.#untold = 0;
  }
}
