/**
 * The best few of many, offered in the order of their index: those with the highest scores, of equal ones the earlier. A score
 * may be known as a range only; then all are kept that could be among the best, as far as there is room.
 */

export interface Contender {
  readonly index: number;
  /** Between these two lies its score. */
  readonly least: number;
  readonly most: number;
}

/** Contenders kept beyond the best: they share a range of scores with the last of these. */
const ROOM = 65_536;

export class Leaders<T extends Contender> {
  readonly #top: number;
  readonly #room: number;
  #kept: T[] = [];
  /** So many as `#top` score at least this. */
  #bar = Number.NEGATIVE_INFINITY;
  #sortAt: number;
  #missed = Number.NEGATIVE_INFINITY;

  constructor(top: number, room = ROOM) {
    this.#top = top;
    this.#room = room;
    this.#sortAt = 2 * top;
  }

  /** The highest score that one may have which was left out for want of room. */
  get missed(): number {
    return this.#missed;
  }

  /** Whether one with at most this score, offered now, would be kept. */
  wants(most: number): boolean {
    return most > this.#bar;
  }

  offer(contender: T): void {
    if (!this.wants(contender.most)) return;
    this.#kept.push(contender);
    if (this.#kept.length >= this.#sortAt) this.#sort();
  }

  /** All that may be among the best, the surest first. */
  ranked(): readonly T[] {
    this.#sort();
    return this.#kept;
  }

  #sort(): void {
    const kept = this.#kept.sort((a, b) => b.least - a.least || a.index - b.index);
    if (kept.length <= this.#top) return;
    const best = kept.slice(0, this.#top);
    this.#bar = best.at(-1)!.least;
    // One that may reach the bar comes before the last of the best if it does so from an earlier index.
    const others = kept.slice(this.#top).filter(({ least, most }) => most > this.#bar || (most === this.#bar && least < most));
    if (others.length > this.#room) {
      others.sort((a, b) => b.most - a.most || a.index - b.index);
      this.#missed = Math.max(this.#missed, others[this.#room]!.most);
      others.length = this.#room;
    }
    this.#kept = [...best, ...others];
    this.#sortAt = this.#kept.length + this.#top;
  }
}
