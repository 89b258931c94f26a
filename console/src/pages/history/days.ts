const DAY = /^\d{4}-\d\d-\d\d$/;

/** Returns the beginning for `Since`: a day begins at its midnight here; anything else is what the service takes. */
export function beginningOf(moment: string): string {
  return midnight(moment, 0);
}

/** Returns the end for `Until`: a day counts whole, up to the midnight after it. */
export function endOf(moment: string): string {
  return midnight(moment, 1);
}

/** The day so many days before `now`, as `2026-03-01`, by the clock here. */
export function dayBefore(now: Date, days: number): string {
  const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() - days);
  const two = (number: number) => String(number).padStart(2, '0');
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}

function midnight(moment: string, daysLater: number): string {
  if (!DAY.test(moment)) return moment;
  const [year = 0, month = 1, day = 1] = moment.split('-').map(Number);
  // A day that no month has, or a month that no year has, is the service's to refuse.
  const named = new Date(year, month - 1, day);
  if (named.getDate() !== day || named.getMonth() !== month - 1) return moment;
  return new Date(year, month - 1, day + daysLater).toISOString();
}
