/**
 * A process lives for a second or some: what V8 would spend on optimizing code, and then on memory for the garbage of a
 * thousand resources, which it would sooner let grow to 50 MiB than collect, Terraform needs for itself meanwhile. The
 * little that is collected at a time is not shared among threads either, which would wait for each other while Terraform
 * has the processors.
 */
const FLAGS = [
  '--no-opt',
  '--semi-space-growth-factor=1',
  '--no-parallel-scavenge',
  '--no-concurrent-array-buffer-sweeping',
];

/**
 * Tells V8 to spare. Not before all is loaded: code that was compiled beforehand, Node's own modules too, is refused under
 * other flags than those that it was compiled under, and then compiled anew.
 */
export async function spare(): Promise<void> {
  const { setFlagsFromString } = await import('node:v8');
  for (const flag of FLAGS) setFlagsFromString(flag);
}
