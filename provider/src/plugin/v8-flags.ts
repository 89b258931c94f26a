/**
 * A process lives for a second or some: what V8 would spend on optimizing code, and then on memory for the garbage of a
 * thousand resources, which it would sooner let grow to 50 MiB than collect, Terraform needs for itself meanwhile. The
 * little that is collected at a time is not shared among threads either, which would wait for each other while Terraform
 * has the processors. Code that was compiled under other flags is refused.
 */
export const V8_FLAGS: readonly string[] = [
  '--no-opt',
  '--semi-space-growth-factor=1',
  '--no-parallel-scavenge',
  '--no-concurrent-array-buffer-sweeping',
];
