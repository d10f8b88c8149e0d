// Stands in for the map where there is none: list, search, facts and requests work without. Used by app.js.

/** @returns {import('../map/map.js').UnitMap} */
export function noMap() {
  const nothing = () => {};
  return {
    show: nothing,
    select: nothing,
    answer: nothing,
    fit: nothing,
    view: () => ({ zoom: 0, latitude: 0, longitude: 0 }),
    setView: nothing,
    mark: nothing,
    makeRoom: nothing,
    seen: () => undefined,
    resize: nothing,
    remove: nothing,
  };
}
