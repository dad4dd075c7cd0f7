/** A box takes the focus, for the keyboard, as long as it scrolls: as long as what it has is larger than it is. */
export function scrolls(box: HTMLElement) {
  const attributes = { tabindex: '0', role: 'group', 'aria-label': 'Scrolls' };
  const look = () => {
    const isLarge = box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight;
    for (const [name, value] of Object.entries(attributes)) {
      if (isLarge) box.setAttribute(name, value);
      else box.removeAttribute(name);
    }
  };
  const observer = new ResizeObserver(look);
  for (const each of [box, ...box.children]) observer.observe(each);
  return { destroy: () => observer.disconnect() };
}
