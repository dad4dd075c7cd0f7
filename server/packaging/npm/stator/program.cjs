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

/** What to say when there is no program to start. */
function noProgram() {
  return `there is no program for ${process.platform}-${process.arch}, only for ${platforms().join(' and ')}. `
    + 'Was it installed with --omit=optional? The variable STATOR may name a program, and STATOR_ENDPOINT a server that '
    + 'runs elsewhere, for tests.';
}

module.exports = { noProgram, program };
