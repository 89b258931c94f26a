import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { connect } from 'node:tls';
import { fieldsOf } from './log-line.js';
import type { Target } from './target.js';
import { type TlsFiles, tlsOptions } from './tls-files.js';

const TIMEOUT_MS = 10_000;
/** Facility local0 with the severities warning and informational (RFC 5424 section 6.2.1). */
const PRIORITY = { WARN: 132, INFO: 134 };

export interface SyslogReceiver {
  host: string;
  port: number;
  tls: TlsFiles;
}

/**
 * Sends syslog messages over TLS (RFC 5424, 5425). Syslog has no acknowledgement: each batch has a connection of its own, and has
 * arrived when the receiver, which reads to the end, closes it.
 */
export class SyslogTarget implements Target {
  constructor(
    private readonly receiver: SyslogReceiver,
    private readonly service: string,
  ) {}

  async send(lines: readonly string[], stop: AbortSignal): Promise<void> {
    const frames = lines.map((line) => frameOf(line, this.service)).join('');
    const { host, port, tls } = this.receiver;
    await new Promise<void>((resolve, reject) => {
      const socket = connect({ host, port, ...(isIP(host) === 0 && { servername: host }), ...tlsOptions(tls) });
      const cut = () => socket.destroy(new Error('the sink is closed'));
      stop.addEventListener('abort', cut);
      let isSent = false;
      let failure: Error | undefined;
      socket.setTimeout(TIMEOUT_MS, () =>
        socket.destroy(new Error(`the receiver is silent for ${TIMEOUT_MS / 1000} s`)),
      );
      socket.once('secureConnect', () => {
        socket.end(frames, () => {
          isSent = true;
        });
      });
      socket.resume();
      socket.once('error', (error) => {
        failure = error;
      });
      socket.once('close', () => {
        stop.removeEventListener('abort', cut);
        if (failure !== undefined) reject(failure);
        else if (isSent) resolve();
        else reject(new Error('the receiver closes the connection before it has read the lines'));
      });
    });
  }
}

function frameOf(line: string, service: string): string {
  const { time, level, msg } = fieldsOf(line);
  const priority = PRIORITY[level as keyof typeof PRIORITY] ?? PRIORITY.INFO;
  const message = `<${priority}>1 ${time} ${hostname()} ${service} ${process.pid} ${msg} - ${line}`;
  return `${Buffer.byteLength(message)} ${message}`;
}
