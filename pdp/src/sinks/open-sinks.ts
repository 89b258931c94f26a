import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Delivery } from './delivery.js';
import { DiskQueue } from './disk-queue.js';
import { Gaps, gapText } from './gaps.js';
import { HttpTarget } from './http-target.js';
import type { LineWriter } from './line-writer.js';
import { fieldsOf } from './log-line.js';
import type { LogOrigin } from './log-origin.js';
import { OtlpTarget } from './otlp-target.js';
import { RotatingFile } from './rotating-file.js';
import { Sink } from './sink.js';
import type { SinkLog } from './sink-log.js';
import { type SinkSettings, SYSLOG_PORT } from './sink-settings.js';
import { SyslogTarget } from './syslog-target.js';
import type { Target } from './target.js';

export interface SinkSurroundings {
  /** The folder for queues; it is made if a sink needs it. */
  folder: string;
  stdout: LineWriter;
  origin: LogOrigin;
  log: SinkLog;
}

export interface OpenedSink {
  sink: Sink;
  /** The id of the last line that a process before this one wrote or lost; undefined if none is known. */
  lastId: string | undefined;
}

/** Opens a sink: what an earlier process has left in its queue is sent first. */
export function openSink(settings: SinkSettings, { folder, stdout, origin, log }: SinkSurroundings): OpenedSink {
  const { kind, name, path = '', url } = settings;
  const { process } = origin;
  if (kind === 'stdout') {
    return { sink: new Sink({ settings, store: stdout, gaps: new Gaps(undefined, process), log }), lastId: undefined };
  }
  const own = join(folder, folderNameOf(settings));
  const gaps = new Gaps(own, process);
  if (kind === 'file') {
    const store = new RotatingFile(path, settings.fileBytesMax, settings.filesMax);
    const lastId = gaps.lastId ?? idIn(store.lastLine);
    return { sink: new Sink({ settings, store, gaps, log }), lastId };
  }
  const queue = new DiskQueue(own, settings.queueBytesMax);
  const lastId = gaps.lastId ?? idIn(queue.lastLine);
  const onRefused = (line: string, error: Error) => {
    const gap = gapFor(line);
    // In place of a line that is about to leave.
    if (gap !== undefined) queue.write(gap, true);
    sink.refused(error);
  };
  const target = targetOf(settings, url as URL, origin);
  const delivery = new Delivery({ queue, target, name, log, onRefused });
  const sink = new Sink({ settings, store: queue, gaps, delivery, log });
  return { sink, lastId };
}

function targetOf({ kind, headerFile, tls }: SinkSettings, url: URL, origin: LogOrigin): Target {
  if (kind === 'syslog') {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    return new SyslogTarget({ host, port: Number(url.port || SYSLOG_PORT), tls }, origin.service);
  }
  const receiver = { url, headerFile, tls };
  return kind === 'otlp' ? new OtlpTarget(receiver, origin) : new HttpTarget(receiver);
}

/** A name that stays the same as long as the receiver does. */
function folderNameOf({ name, url }: SinkSettings): string {
  const digest = createHash('sha256')
    .update(url?.href ?? name)
    .digest('hex')
    .slice(0, 8);
  return `${name.replaceAll(/[^\w.-]+/g, '-')}-${digest}`;
}

/** The id of a line, or of the last line that it says is lost. */
function idIn(line: string | undefined): string | undefined {
  const { id, last } = jsonIn(line ?? '');
  return id ?? last;
}

/** The fields of a line; none of a damaged one. */
function jsonIn(line: string): { id?: string; last?: string; time: string } {
  try {
    return fieldsOf(line) as ReturnType<typeof jsonIn>;
  } catch {
    return { time: '' };
  }
}

/** The gap that a refused line leaves; undefined for a line that tells of a gap itself, or is damaged. */
function gapFor(line: string): string | undefined {
  const { id, time } = jsonIn(line);
  const [process = '', order] = String(id ?? '').split('.');
  if (order === undefined) return undefined;
  return gapText({
    process,
    first: Number(order),
    last: Number(order),
    lost: 1,
    from: time,
    to: time,
    cause: 'refused',
  });
}
