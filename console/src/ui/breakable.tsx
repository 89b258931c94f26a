import { Fragment } from 'react';

/** Matches the places where a long address or condition may go on in the next line. */
const BREAKS = /(?<=\/)(?=[^/\s])|(?=\.\p{L})/u;
/** The longest text that stays in one line. */
const SHORT_MAX = 24;

/** Text without spaces that breaks between its parts, not within words. */
export function Breakable({ text }: { text: string }) {
  if (text.length <= SHORT_MAX) return text;
  return text.split(BREAKS).map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never change their places.
    <Fragment key={at}>
      {at > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
