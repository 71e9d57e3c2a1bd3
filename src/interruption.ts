/**
 * Waits that an abort signal ends, whether or not what is waited for heeds it: a silent pipe does not.
 */

export class Interruption {
  readonly signal: AbortSignal;
  /** One listener for the whole run, for there may be a wait for each byte. */
  readonly #stop: () => void;
  #reject: ((reason: unknown) => void) | undefined;

  constructor(signal: AbortSignal) {
    this.signal = signal;
    this.#stop = () => this.#reject?.(signal.reason);
    signal.addEventListener('abort', this.#stop);
  }

  /** One wait at a time. */
  or<T>(wait: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      if (this.signal.aborted) this.#stop();
      wait.then(resolve, reject);
    });
  }

  release(): void {
    this.signal.removeEventListener('abort', this.#stop);
  }
}
