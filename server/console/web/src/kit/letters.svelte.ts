// Whether single letters are shortcuts. This browser remembers that they are off.

const NAME = `stator-console-no-letters:${location.host}`;

export const letters = $state({ areOn: localStorage.getItem(NAME) === null });

export function rememberLetters(): void {
  if (letters.areOn) localStorage.removeItem(NAME);
  else localStorage.setItem(NAME, '1');
}
