// Preloaded into a plugin: a machine on which no folder for a socket can be made.
const fs = require('node:fs');
fs.mkdtempSync = () => {
  throw new Error('read-only');
};
