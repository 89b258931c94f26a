import { TimeSlicing } from '@authz-service/core/concurrency/time-slicing';

/** Runs all long work of the process, so that a request waits for at most one slice of it. */
export const timeSlicing = new TimeSlicing(() => performance.now());
