/**
 * Counts equal numbers of 64 bits, such as the beginnings of digests: an open-addressing table of twelve bytes a place, at most
 * half full. A Map of strings would take ten times that, which tells when chunks are a few characters long.
 */
export class Seen {
  #high = new Uint32Array(64);
  #low = new Uint32Array(64);
  #times = new Uint32Array(64);
  #used = 0;

  /** Different numbers that were added. */
  get size(): number {
    return this.#used;
  }

  /** How often this number, given as its two halves of 32 bits, was added before. */
  add(high: number, low: number): number {
    if (this.#used * 2 >= this.#times.length) this.#grow();
    const place = this.#place(high, low);
    const times = this.#times[place]!;
    if (times === 0) {
      this.#high[place] = high;
      this.#low[place] = low;
      this.#used++;
    }
    this.#times[place] = times + 1;
    return times;
  }

  #place(high: number, low: number): number {
    const mask = this.#times.length - 1;
    let place = low & mask;
    while (this.#times[place] !== 0 && (this.#high[place] !== high || this.#low[place] !== low)) place = (place + 1) & mask;
    return place;
  }

  #grow(): void {
    const [high, low, times] = [this.#high, this.#low, this.#times];
    const size = times.length * 2;
    this.#high = new Uint32Array(size);
    this.#low = new Uint32Array(size);
    this.#times = new Uint32Array(size);
    times.forEach((count, from) => {
      if (count === 0) return;
      const place = this.#place(high[from]!, low[from]!);
      this.#high[place] = high[from]!;
      this.#low[place] = low[from]!;
      this.#times[place] = count;
    });
  }
}
