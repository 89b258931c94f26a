/** The code of an error before a proxy had a connection to the service. */
export const PROXY = 'PROXY';
