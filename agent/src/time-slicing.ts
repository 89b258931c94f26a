import { TimeSlicing } from '@authz-service/core/time-slicing';

/** Runs all long work of the process, so that a request waits for one slice of it, however much there is. */
export const timeSlicing = new TimeSlicing(() => performance.now());
