// A file that was dropped where it has no table yet waits here for the page of the table that is made for it.

let waiting: File | undefined;

export function keepDropped(file?: File): void {
  waiting = file;
}

/** The file that waits, once. */
export function takeDropped(): File | undefined {
  const file = waiting;
  waiting = undefined;
  return file;
}
