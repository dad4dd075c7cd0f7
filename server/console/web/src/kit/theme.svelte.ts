// Light or dark: the system's choice until the user makes one, which this browser remembers for this server.

export type Theme = 'light' | 'dark';
const NAME = `stator-console-theme:${location.host}`;
const system = matchMedia('(prefers-color-scheme: dark)');

export const theme = $state({ present: 'light' as Theme, isChosen: false });

function apply(): void {
  const chosen = localStorage.getItem(NAME);
  theme.isChosen = chosen === 'light' || chosen === 'dark';
  theme.present = theme.isChosen ? (chosen as Theme) : system.matches ? 'dark' : 'light';
  document.documentElement.dataset.theme = theme.present;
}

export function startTheme(): void {
  apply();
  system.addEventListener('change', apply);
}

/** Undefined returns to the system's choice. */
export function chooseTheme(chosen?: Theme): void {
  if (chosen) localStorage.setItem(NAME, chosen);
  else localStorage.removeItem(NAME);
  apply();
}
