import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

type Mode =
  | 'open'
  /** Takes connections and lets nothing through, as a network that is cut. */
  | 'cut'
  /** Resets every new connection. */
  | 'refusing';

/** Stands between two processes at an address that stays, and does to their connections what networks do. */
export class TcpProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #mode: Mode = 'open';
  /** How many bytes come through in a turn, where the network is slow. */
  #bytesPerTurn = Number.POSITIVE_INFINITY;

  private constructor(private readonly target: () => URL | undefined) {
    this.#server = createServer((near) => this.#accept(near));
  }

  /** `target` is asked for at every connection: who is behind may come back at another address. */
  static async start(target: () => URL | undefined, host = '127.0.0.1'): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, host, resolve));
    return proxy;
  }

  get url(): string {
    const { address, port } = this.#server.address() as AddressInfo;
    return `http://${address}:${port}`;
  }

  /** Resets every connection. */
  reset(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  /** From now on nothing comes through, and nobody is told. */
  cut(): void {
    this.#mode = 'cut';
    for (const socket of this.#sockets) socket.pause();
  }

  /** From now on every connection is reset. */
  refuse(): void {
    this.#mode = 'refusing';
    this.reset();
  }

  /** From now on at most so many bytes come through each way every 10 ms. */
  slow(bytesPerTurn: number): void {
    this.#bytesPerTurn = bytesPerTurn;
    this.reset();
  }

  /** Works normally again. Connections that hung are reset. */
  heal(): void {
    if (this.#mode !== 'open' || this.#bytesPerTurn !== Number.POSITIVE_INFINITY) this.reset();
    this.#mode = 'open';
    this.#bytesPerTurn = Number.POSITIVE_INFINITY;
  }

  async stop(): Promise<void> {
    this.reset();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #accept(near: Socket): void {
    this.#keep(near);
    const target = this.target();
    if (this.#mode === 'cut') {
      near.pause();
    } else if (this.#mode === 'refusing' || target === undefined) {
      near.resetAndDestroy();
    } else {
      const far = connect(Number(target.port), target.hostname);
      this.#keep(far);
      this.#forward(near, far);
      this.#forward(far, near);
    }
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    // Connections are broken here on purpose.
    socket.on('error', () => {});
    socket.on('close', () => this.#sockets.delete(socket));
  }

  #forward(from: Socket, to: Socket): void {
    const perTurn = this.#bytesPerTurn;
    from.on('close', () => to.destroy());
    if (perTurn === Number.POSITIVE_INFINITY) {
      from.pipe(to);
      return;
    }
    from.on('data', (chunk: Buffer) => {
      from.pause();
      const pass = (rest: Buffer) => {
        if (to.destroyed) return;
        to.write(rest.subarray(0, perTurn));
        if (rest.length > perTurn) setTimeout(pass, 10, rest.subarray(perTurn));
        else if (this.#mode === 'open') from.resume();
      };
      pass(chunk);
    });
    from.on('end', () => to.end());
  }
}
