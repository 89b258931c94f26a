import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSinks } from './sink-settings.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sinks-'));
  writeFileSync(join(folder, 'header'), 'Authorization: Bearer hunter2\n');
  writeFileSync(join(folder, 'bad'), 'hunter2\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('sinks in a text', () => {
  it('are read with their options', () => {
    const text = `stdout#when_full=block
      file:///var/log/d.jsonl#max_size=2GiB&max_files=9
      https://logs.example.com/in?token=hunter2#header_file=header&queue=1GiB
      otlp+http://localhost:4318
      syslog+tls://logs.example.com`;
    const sinks = readSinks(text, folder);
    expect(sinks.map(({ kind, name, whenFull, url }) => [kind, name, whenFull, url?.href])).toEqual([
      ['stdout', 'stdout', 'block', undefined],
      ['file', 'file /var/log/d.jsonl', 'drop', undefined],
      ['http', 'http logs.example.com', 'drop', 'https://logs.example.com/in?token=hunter2'],
      ['otlp', 'otlp localhost:4318', 'drop', 'http://localhost:4318/v1/logs'],
      ['syslog', 'syslog logs.example.com:6514', 'drop', 'syslog+tls://logs.example.com'],
    ]);
    expect(sinks[1]).toMatchObject({ fileBytesMax: 2 * 2 ** 30, filesMax: 9 });
    expect(sinks[2]).toMatchObject({ queueBytesMax: 2 ** 30, headerFile: join(folder, 'header') });
    expect(JSON.stringify(sinks)).not.toContain('hunter2');
  });

  it.each([
    ['', 'names no sink: write "stdout"'],
    ['stderr', '"stderr" is no sink: write stdout, file:///PATH, https://HOST/PATH'],
    ['kafka://host', '"kafka://host" is no sink'],
    ['https://', '"https://" is no sink'],
    ['https://me:hunter2@host', 'must not contain a user or password'],
    ['ftp://me:hunter2@host', 'an address is no sink'],
    ['https://host:99999/hunter2', '"https://host:99999/…" is no sink'],
    ['otlp+https://host:99999/hunter2', '"otlp+https://host:99999/…" is no sink'],
    ['file:///var%2flog', 'write "%25" for a "%"'],
    ['https://host#queue=%zz', 'http host: queue has a "%"'],
    ['file://var/log/d.jsonl', 'write three slashes'],
    ['stdout stdout', 'names stdout twice'],
    ['stdout#queue=1MiB', 'there is no option "queue": it has when_full'],
    ['https://host#when_ful=block', 'did you mean "when_full"?'],
    ['https://host#when_full=wait', 'when_full is "wait": write drop or block'],
    ['https://host#queue=10', 'queue is "10": write a size of at least 1MiB'],
    ['https://host#queue=1KiB', 'queue is "1KiB": write a size of at least 1MiB'],
    ['https://host#queue', 'the option "queue" has no value'],
    ['https://host#queue=1MiB&queue=2MiB', 'is given twice'],
    ['https://host#header_file=missing', 'there is no file'],
    ['https://host#header_file=bad', 'holds no header'],
    ['https://host#cert_file=header', 'cert_file and key_file belong together'],
    ['file:///d.jsonl#max_files=1', 'write a number from 2 to 9999'],
  ])('as %j are refused with what to write', (text, detail) => {
    let message = '';
    try {
      readSinks(text, folder);
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).toContain(detail);
    expect(message).not.toContain('hunter2');
  });
});
