import { describe, expect, it } from 'vitest';
import { Log, levelFrom } from './log.js';

describe('log records for Terraform', () => {
  it('are one JSON object a line, with six fractional digits and a message that is text', () => {
    const lines: string[] = [];
    new Log('debug', 'provider', (line) => lines.push(line)).log('info', 'several\nlines', { '@message': 5, count: 2 });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^[^\n]*\n$/);
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      '@level': 'info',
      '@message': 'several\nlines',
      '@module': 'provider',
      '@timestamp': expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      count: 2,
    });
  });

  it.each([
    [{}, 'error'],
    [{ TF_LOG: 'INFO' }, 'info'],
    [{ TF_LOG: 'json' }, 'trace'],
    [{ TF_LOG: 'whatever' }, 'trace'],
    [{ TF_LOG: 'TRACE', TF_LOG_PROVIDER: 'warn' }, 'warn'],
    [{ TF_LOG: 'TRACE', TF_LOG_PROVIDER: 'off' }, 'off'],
  ])('have the level that %j asks for', (env, level) => {
    expect(levelFrom(env)).toBe(level);
    const lines: string[] = [];
    const log = new Log(levelFrom(env), 'provider', (line) => lines.push(line));
    log.log('error', 'x');
    expect(lines).toHaveLength(level === 'off' ? 0 : 1);
  });
});
