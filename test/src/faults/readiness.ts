import { expect } from 'vitest';
import { until } from '../e2e/agent/agent-process.js';
import type { CloudProcess } from '../e2e/cloud/cloud-process.js';

/** Waits until the cloud, which serves decisions all the while, answers this to the question how it fares. */
export async function untilReady(cloud: CloudProcess, body: object): Promise<void> {
  const url = `${await cloud.url()}/readyz`;
  await until(async () => {
    const answer = await fetch(url);
    expect({ status: answer.status, body: await answer.json() }).toEqual({ status: 200, body });
  });
}

/** The value of a metric without labels. */
export async function metric(cloud: CloudProcess, name: string): Promise<number> {
  const text = await (await fetch(`${await cloud.url()}/metrics`)).text();
  return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]);
}
