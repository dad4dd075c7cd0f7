// SPDX-License-Identifier: Apache-2.0
// Chooses the program of this platform. Each lies in a package of its own, of which npm installs the one that fits.
'use strict';

/** The path of the program: $STATOR, else that of the platform's package, else `stator` on PATH. */
function program() {
  if (process.env.STATOR) return process.env.STATOR;
  try {
    return require.resolve(`@stator-db/${process.platform}-${process.arch}/bin/stator`);
  } catch {
    return 'stator';
  }
}

/** The platforms that there are programs for. */
function platforms() {
  return Object.keys(require('./package.json').optionalDependencies).map((name) => name.replace('@stator-db/', ''));
}

module.exports = { platforms, program };
