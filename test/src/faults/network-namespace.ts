import { execFileSync } from 'node:child_process';

/** A machine's address that nobody has: what is sent to it is lost, and nobody is told. */
const NOWHERE = '02:00:00:00:00:99';

type Direction = 'both' | 'in' | 'out';

/** A network of its own for a process, whose packets can be lost as on a cable that is pulled. Linux, as root. */
export class NetworkNamespace {
  static #made = 0;

  private constructor(
    readonly name: string,
    /** The addresses of this machine and of the process, as they see each other. */
    readonly outside: string,
    readonly inside: string,
    private readonly devices: { outside: string; inside: string },
  ) {}

  /** Undefined where there cannot be one. */
  static create(): NetworkNamespace | undefined {
    const index = NetworkNamespace.#made++;
    const name = `authz-${process.pid}-${index}`;
    const net = `10.${200 + ((process.pid >> 8) % 50)}.${process.pid % 256}`;
    const [outside, inside] = [`${net}.${index * 4 + 1}`, `${net}.${index * 4 + 2}`];
    const devices = { outside: `az${process.pid}-${index}o`, inside: `az${process.pid}-${index}i` };
    const namespace = new NetworkNamespace(name, outside, inside, devices);
    try {
      ip('netns', 'add', name);
      ip('link', 'add', devices.outside, 'type', 'veth', 'peer', 'name', devices.inside, 'netns', name);
      ip('addr', 'add', `${outside}/30`, 'dev', devices.outside);
      ip('link', 'set', devices.outside, 'up');
      ip('-n', name, 'addr', 'add', `${inside}/30`, 'dev', devices.inside);
      ip('-n', name, 'link', 'set', devices.inside, 'up');
      ip('-n', name, 'link', 'set', 'lo', 'up');
      return namespace;
    } catch {
      namespace.remove();
      return undefined;
    }
  }

  /** Words that precede a command that runs there. */
  get prefix(): string[] {
    return ['ip', 'netns', 'exec', this.name];
  }

  /** From now on all packets to the process, from it, or both are lost. */
  lose(direction: Direction): void {
    const { devices, name, inside, outside } = this;
    const to = ['lladdr', NOWHERE, 'nud', 'permanent'];
    if (direction !== 'out') ip('neigh', 'replace', inside, 'dev', devices.outside, ...to);
    if (direction !== 'in') ip('-n', name, 'neigh', 'replace', outside, 'dev', devices.inside, ...to);
  }

  heal(): void {
    const { devices, name, inside, outside } = this;
    for (const args of [
      ['neigh', 'del', inside, 'dev', devices.outside],
      ['-n', name, 'neigh', 'del', outside, 'dev', devices.inside],
    ]) {
      try {
        ip(...args);
      } catch {
        // Nothing was lost that way.
      }
    }
  }

  /** Takes the network away, once no process is there. */
  remove(): void {
    try {
      ip('netns', 'del', this.name);
    } catch {
      // It was not made.
    }
  }
}

function ip(...args: string[]): void {
  execFileSync('ip', args, { stdio: 'ignore' });
}
