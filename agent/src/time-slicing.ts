import { Turns } from '@authz-service/core/turns';

/** Runs all long work of the process, so that a request waits for one slice of it, however much there is. */
export const timeSlicing = new Turns(() => performance.now());
