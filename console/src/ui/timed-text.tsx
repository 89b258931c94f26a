import { Fragment } from 'react';
import { When } from './when.js';

const TIME = /(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))/;

/** Text in which each RFC 3339 time is shown in the zone of the person. */
export function TimedText({ text }: { text: string }) {
  // A split by a group leaves what the group has matched at odd places.
  return text.split(TIME).map((piece, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text never change their places.
    <Fragment key={at}>{at % 2 === 1 && !Number.isNaN(Date.parse(piece)) ? <When at={piece} /> : piece}</Fragment>
  ));
}
