/** The name of the database in a data directory. */
export const DATABASE = 'cloud.sqlite';
