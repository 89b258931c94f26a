const WHICH: Record<string, string> = {
  all: 'all',
  recorded: 'all recorded ones',
  unrecorded: 'without a record',
  nowhere: 'without a parent',
  unsaid: 'whose parents are not known',
};

/** The texts of resources that findings and reviews name. */
export const resources = {
  which: (type: string, which: string) => `${type} (${WHICH[which] ?? which})`,
  andMore: (count: number) => `and ${count} more`,
  below: (what: string, places: string) => `${what} below ${places}`,
  anyAction: 'any action',
  anyActionBut: (actions: string) => `any action but ${actions}`,
};
