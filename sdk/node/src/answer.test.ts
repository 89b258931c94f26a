import { expect, it } from 'vitest';
import { readAnswer } from './answer.js';

it('an answer without end is read to the bound and no further', async () => {
  let chunks = 0;
  const endless = new ReadableStream({
    pull(controller) {
      chunks += 1;
      controller.enqueue(new Uint8Array(100));
    },
  });
  await expect(readAnswer(new Response(endless), 'GET http://x/', 1000)).rejects.toMatchObject({
    code: 'network',
    detail: 'GET http://x/ answered with more than 1000 bytes: it is not read further.',
  });
  expect(chunks).toBeLessThan(20);
});

it('an answer of just the bound is read whole', async () => {
  const answer = await readAnswer(new Response(new Uint8Array(1000)), 'GET http://x/', 1000);
  expect(answer.body).toHaveLength(1000);
});
