// Stands in for the map where the browser cannot draw one: list, search, facts and requests work without. Used by
// app.js.

/** @returns {import('../map/map.js').UnitMap} */
export function noMap() {
  const nothing = () => {};
  return {
    showOverview: nothing,
    setUnits: nothing,
    addUnits: nothing,
    refine: nothing,
    placeNames: nothing,
    showDetail: nothing,
    select: nothing,
    fit: nothing,
    fitAll: nothing,
    boxOf: () => undefined,
    zoomOf: () => 0,
    view: () => ({ zoom: 0, latitude: 0, longitude: 0 }),
    setView: nothing,
    mark: nothing,
    seen: () => undefined,
    visibleOverview: () => [],
    unitsInSight: () => [],
    namesInSight: () => [],
    resize: nothing,
    remove: nothing,
  };
}
