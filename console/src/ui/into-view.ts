/** As the `ref` of the chosen one of a list that scrolls on narrow screens: moves it into sight. */
export function intoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest', inline: 'center' });
}
