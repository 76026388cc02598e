type Listener = (...args: never[]) => void;

interface Registration {
  readonly listener: Listener;
  readonly isOnce: boolean;
}

/** What the owner of an emitter does when listeners come and go. */
export interface ListenerWatch {
  /** Called before a listener of `event` is added. */
  added(event: string): void;
  /** Called after listeners were removed, or one that is called once was used up. */
  removed(): void;
}

/** The part of an event emitter that users of client libraries need. */
export class Emitter {
  readonly #registrations = new Map<string, Registration[]>();
  readonly #watch: ListenerWatch | undefined;
  #listenersMax = 10;

  constructor(watch?: ListenerWatch) {
    this.#watch = watch;
  }

  on(event: string, listener: Listener): this {
    return this.#add(event, { listener, isOnce: false });
  }

  addListener(event: string, listener: Listener): this {
    return this.on(event, listener);
  }

  once(event: string, listener: Listener): this {
    return this.#add(event, { listener, isOnce: true });
  }

  prependListener(event: string, listener: Listener): this {
    return this.#prepend(event, { listener, isOnce: false });
  }

  prependOnceListener(event: string, listener: Listener): this {
    return this.#prepend(event, { listener, isOnce: true });
  }

  /** Removes the last registration of the listener, as Node does; others of it stay. */
  off(event: string, listener: Listener): this {
    assertListener(listener);
    const list = this.#registrations.get(event) ?? [];
    const at = list.findLastIndex((one) => one.listener === listener);
    this.#registrations.set(
      event,
      list.filter((_one, index) => index !== at),
    );
    this.#watch?.removed();
    return this;
  }

  removeListener(event: string, listener: Listener): this {
    return this.off(event, listener);
  }

  removeAllListeners(event?: string): this {
    if (event === undefined) this.#registrations.clear();
    else this.#registrations.delete(event);
    this.#watch?.removed();
    return this;
  }

  listenerCount(event: string): number {
    return this.#registrations.get(event)?.length ?? 0;
  }

  listeners(event: string): readonly Listener[] {
    return (this.#registrations.get(event) ?? []).map(({ listener }) => listener);
  }

  /** Returns the listeners themselves, also of those that are called once. */
  rawListeners(event: string): readonly Listener[] {
    return this.listeners(event);
  }

  eventNames(): readonly string[] {
    return [...this.#registrations].flatMap(([event, { length }]) => (length > 0 ? [event] : []));
  }

  getMaxListeners(): number {
    return this.#listenersMax;
  }

  /** Keeps the number: nothing warns of a leak here. */
  setMaxListeners(count: number): this {
    this.#listenersMax = count;
    return this;
  }

  /** Calls the listeners; returns whether there were any. */
  emit(event: string, ...args: unknown[]): boolean {
    const registered = this.#registrations.get(event) ?? [];
    this.#registrations.set(
      event,
      registered.filter(({ isOnce }) => !isOnce),
    );
    if (registered.some(({ isOnce }) => isOnce)) this.#watch?.removed();
    for (const { listener } of registered) listener(...(args as never[]));
    return registered.length > 0;
  }

  #add(event: string, registered: Registration): this {
    assertListener(registered.listener);
    this.#watch?.added(event);
    const list = this.#registrations.get(event) ?? [];
    list.push(registered);
    this.#registrations.set(event, list);
    return this;
  }

  #prepend(event: string, registered: Registration): this {
    assertListener(registered.listener);
    this.#watch?.added(event);
    this.#registrations.set(event, [registered, ...(this.#registrations.get(event) ?? [])]);
    return this;
  }
}

/** @throws {TypeError} as Node does, where a caller without types gives something else */
function assertListener(listener: unknown): void {
  if (typeof listener === "function") return;
  const message = 'The "listener" argument must be of type function.';
  throw Object.assign(new TypeError(message), { code: "ERR_INVALID_ARG_TYPE" });
}
