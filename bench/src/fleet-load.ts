/**
 * Waits at clouds as so many agents do: a connection each, kept from poll to poll, which are held until there is something newer
 * and follow the agents' own schedule. In a process of its own, which its parent tells what to do. What comes is measured and not verified:
 * real agents do that on machines of their own.
 *   fork('fleet-load.js', [JSON of FleetOptions])
 */
import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { PollSchedule } from '@authz-service/embedded/bundle/poll-schedule';

export interface FleetOptions {
  /** Agents are spread over these in turns. */
  urls: string[];
  agents: number;
  apiKey: string;
  pollIntervalMs: number;
}

/** A question of the parent; each is answered by `FleetAnswer`. */
export type FleetQuestion = { ask: 'counts' } | { ask: 'reached'; revision: number };

export interface FleetAnswer {
  /** How many have been answered since their last failure, and wait now. */
  waiting: number;
  /** When agents got the revision or a later one, in milliseconds since the epoch. */
  reached: number[];
  failures: { [code: string]: number };
}

/** As an agent's: one that is silent for longer is given up. */
const IDLE_MS = 30_000;
/** The share of answers after which an agent connects anew. */
const RENEWED_SHARE = 1 / 64;
const HEAD_END = '\r\n\r\n';

const options = JSON.parse(process.argv[2] ?? '') as FleetOptions;
const reached = new Map<number, number[]>();
const failures: FleetAnswer['failures'] = {};

/** One agent. It remembers the name of its bundle, and nothing of what is in it. */
class LoadingAgent {
  readonly #id = randomUUID();
  readonly #schedule = new PollSchedule(options.pollIntervalMs);
  readonly #target: URL;
  /** Each has an address of its own, so that all of them together do not run out of ports. */
  readonly #localAddress: string;
  #kept: Socket | undefined;
  #revision = '';
  /** Whether it was answered since its last failure. */
  waits = false;

  constructor(index: number) {
    this.#target = new URL(options.urls[index % options.urls.length] ?? '');
    this.#localAddress = `127.0.${1 + (index % 200)}.1`;
  }

  poll(): void {
    const { waitSeconds } = this.#schedule;
    const askedAt = performance.now();
    const socket = this.#kept ?? this.#connect();
    this.#kept = undefined;
    let done = false;
    const end = () => {
      done = true;
      socket.removeAllListeners().on('error', () => undefined);
    };
    const fail = (code: string) => {
      if (done) return;
      end();
      socket.destroy();
      this.waits = false;
      failures[code] = (failures[code] ?? 0) + 1;
      this.#again(this.#schedule.failed({ elapsedMs: performance.now() - askedAt, away: !/^\d/.test(code) }));
    };
    socket.setTimeout(IDLE_MS + waitSeconds * 1000, () => fail('timeout'));
    socket.on('error', (error: NodeJS.ErrnoException) => fail(error.code ?? error.message));
    socket.on('close', () => fail('closed'));
    receive(socket, (status, headers) => {
      if (done) return;
      if (status !== 200 && status !== 226 && status !== 304) return fail(`${status}`);
      end();
      const news = this.#take(headers.get('etag')?.slice(1, -1) ?? '');
      const holds = headers.has('preference-applied');
      const elapsedMs = performance.now() - askedAt;
      this.waits = true;
      const ms = this.#schedule.succeeded({ waitSeconds, elapsedMs, holds, news });
      if (ms === 0 && headers.get('connection') !== 'close' && Math.random() >= RENEWED_SHARE) this.#kept = socket;
      else socket.destroy();
      this.#again(ms);
    });
    socket.write(this.#request(waitSeconds));
  }

  #connect(): Socket {
    const { hostname, port } = this.#target;
    return connect({ host: hostname, port: Number(port), localAddress: this.#localAddress });
  }

  #request(waitSeconds: number): string {
    const lines = [
      'GET /v1/policies/bundle HTTP/1.1',
      `Host: ${this.#target.host}`,
      'Accept-Encoding: identity',
      'Accept: application/gzip',
      `Authorization: Bearer ${options.apiKey}`,
      `Service-Agent: id=${this.#id}&name=load&version=0.1.0${this.#revision !== '' ? `&revision=${this.#revision}&age=0` : ''}`,
    ];
    if (this.#revision !== '') lines.push(`If-None-Match: "${this.#revision}"`, 'A-IM: policy-delta');
    if (waitSeconds > 0) lines.push(`Prefer: wait=${waitSeconds}`);
    return `${lines.join('\r\n')}${HEAD_END}`;
  }

  /** Returns whether the revision is another one. */
  #take(revision: string): boolean {
    if (revision === this.#revision) return false;
    const now = performance.timeOrigin + performance.now();
    const [before, after] = [numberOf(this.#revision), numberOf(revision)];
    for (let number = before + 1; number <= after; number++) {
      const times = reached.get(number);
      if (times) times.push(now);
      else reached.set(number, [now]);
    }
    this.#revision = revision;
    return true;
  }

  #again(ms: number): void {
    if (ms > 0) setTimeout(() => this.poll(), ms);
    else setImmediate(() => this.poll());
  }
}

const numberOf = (revision: string): number => Number(revision.split('.')[0]);

/** Reads one answer with a length, or without a body. */
function receive(socket: Socket, take: (status: number, headers: Map<string, string>) => void): void {
  let head = '';
  let headers: Map<string, string> | undefined;
  let status = 0;
  let missing = 0;
  socket.on('data', (chunk: Buffer) => {
    let bytes = chunk.length;
    if (headers === undefined) {
      const before = head.length;
      head += chunk.toString('latin1');
      const end = head.indexOf(HEAD_END);
      if (end < 0) return;
      const [first = '', ...lines] = head.slice(0, end).split('\r\n');
      status = Number(first.split(' ')[1]);
      headers = new Map(
        lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
      );
      missing = status === 304 ? 0 : Number(headers.get('content-length') ?? 0);
      bytes -= end + HEAD_END.length - before;
    }
    missing -= bytes;
    if (missing <= 0) take(status, headers);
  });
}

const agents = Array.from({ length: options.agents }, (_, index) => new LoadingAgent(index));
// They were not all started at the same moment.
for (const [index, agent] of agents.entries()) setTimeout(() => agent.poll(), index);

process.on('message', (question: FleetQuestion) => {
  const answer: FleetAnswer = {
    waiting: agents.filter(({ waits }) => waits).length,
    reached: question.ask === 'reached' ? (reached.get(question.revision) ?? []) : [],
    failures,
  };
  process.send?.(answer);
});
process.on('disconnect', () => process.exit(0));
