type Listener = (...args: never[]) => void;

interface Heard {
  readonly listener: Listener;
  readonly isOnce: boolean;
}

/** As much of an event emitter as users of amqplib touch. */
export class Emitter {
  readonly #heard = new Map<string, Heard[]>();

  on(event: string, listener: Listener): this {
    return this.#add(event, { listener, isOnce: false });
  }

  once(event: string, listener: Listener): this {
    return this.#add(event, { listener, isOnce: true });
  }

  off(event: string, listener: Listener): this {
    const left = (this.#heard.get(event) ?? []).filter((one) => one.listener !== listener);
    this.#heard.set(event, left);
    return this;
  }

  removeListener(event: string, listener: Listener): this {
    return this.off(event, listener);
  }

  removeAllListeners(event?: string): this {
    if (event === undefined) this.#heard.clear();
    else this.#heard.delete(event);
    return this;
  }

  /** Answers whether anybody listened. */
  emit(event: string, ...args: unknown[]): boolean {
    const heard = this.#heard.get(event) ?? [];
    this.#heard.set(
      event,
      heard.filter(({ isOnce }) => !isOnce),
    );
    for (const { listener } of heard) listener(...(args as never[]));
    return heard.length > 0;
  }

  #add(event: string, heard: Heard): this {
    const list = this.#heard.get(event) ?? [];
    list.push(heard);
    this.#heard.set(event, list);
    return this;
  }
}
