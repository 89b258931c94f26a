import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BodyBytes, MIB, tooLarge } from './body-bytes.js';

const LIMIT = 30;

describe('the bytes of a body', () => {
  it('are those of its pieces one after the other, as they came, up to the limit', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), (pieces) => {
        const body = new BodyBytes(LIMIT);
        for (const piece of pieces) body.add(Buffer.from(piece));
        const whole = Buffer.concat(pieces);
        expect(body.size).toBe(whole.length);
        expect(body.take()).toEqual(whole.length > LIMIT ? Buffer.alloc(0) : whole);
        expect(body.take()).toEqual(Buffer.alloc(0));
      }),
    );
  });

  it('leave the pieces as they were', () => {
    const body = new BodyBytes(LIMIT);
    const block = Buffer.from('abcd');
    body.add(block.subarray(0, 1));
    body.add(Buffer.from('x'));
    expect(String(block)).toBe('abcd');
    expect(String(body.take())).toBe('ax');
  });

  it.each([
    [64 * 1024, 'larger than 64 KiB,'],
    [16 * MIB, 'larger than 16 MiB,'],
  ])('that are more than %d are refused with the limit', (limit, text) => {
    expect(tooLarge(limit)).toMatchObject({ code: 'payload_too_large', detail: expect.stringContaining(text) });
  });
});
