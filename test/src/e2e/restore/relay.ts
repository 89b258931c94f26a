import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** The address under which agents know their cloud, whoever answers there. */
export class Relay {
  readonly #sockets = new Set<Socket>();
  #to: URL | undefined;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Relay> {
    const server = createServer();
    const relay = new Relay(server);
    server.on('connection', (caller) => relay.#pass(caller));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return relay;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Leads to this cloud from now on, or to nobody. */
  lead(url: string | undefined): void {
    this.#to = url === undefined ? undefined : new URL(url);
    for (const socket of this.#sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    this.lead(undefined);
    this.server.close();
    await once(this.server, 'close');
  }

  #pass(caller: Socket): void {
    this.#keep(caller);
    if (this.#to === undefined) {
      caller.destroy();
      return;
    }
    const cloud = connect(Number(this.#to.port), this.#to.hostname);
    this.#keep(cloud);
    caller.pipe(cloud).pipe(caller);
    caller.on('close', () => cloud.destroy());
    cloud.on('close', () => caller.destroy());
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#sockets.delete(socket));
  }
}
