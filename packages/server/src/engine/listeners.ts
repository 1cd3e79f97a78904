/** Those who want to hear of something. */
export class Listeners<T> {
  private readonly all = new Set<(value: T) => void>();

  /** Returns how to stop listening. */
  add(listener: (value: T) => void): () => void {
    this.all.add(listener);
    return () => this.all.delete(listener);
  }

  tell(value: T): void {
    for (const listener of this.all) listener(value);
  }
}
