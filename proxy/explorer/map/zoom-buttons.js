// The buttons that zoom the map: the library's have pictures in data: URLs, which the policy of the page forbids.

export class ZoomButtons {
  /** @type {HTMLElement | undefined} */
  #element;

  /** @param {import('maplibre-gl').Map} map */
  onAdd(map) {
    const element = document.createElement('div');
    element.className = 'map-zoom';
    element.append(
      button('+', 'Zoom in', (originalEvent) => map.zoomIn({}, { originalEvent })),
      button('−', 'Zoom out', (originalEvent) => map.zoomOut({}, { originalEvent })),
    );
    this.#element = element;
    return element;
  }

  onRemove() {
    this.#element?.remove();
  }
}

/**
 * @param {string} text
 * @param {string} label
 * @param {(event: MouseEvent) => void} use
 */
function button(text, label, use) {
  const element = document.createElement('button');
  element.type = 'button';
  element.textContent = text;
  element.title = label;
  element.setAttribute('aria-label', label);
  element.addEventListener('click', use);
  return element;
}
