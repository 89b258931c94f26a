const FORMAT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/** A time in the zone of the person, with the exact one to copy. */
export function When({ at }: { at: string }) {
  return (
    <time dateTime={at} title={at}>
      {timeText(at)}
    </time>
  );
}

/** A time in the zone of the person, as text. */
export function timeText(at: string): string {
  return FORMAT.format(new Date(at));
}
