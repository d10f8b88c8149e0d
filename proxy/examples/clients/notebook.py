# A notebook on the sample's Spain: its cells begin with %%, as Jupyter (by jupytext), VS Code and Spyder read them.
# %% One release for all that follows
import gzip
import io
import json
import os
from urllib.request import Request, urlopen

import geopandas as gpd
import pandas as pd

BASE = os.environ.get('BASE', 'http://127.0.0.1:8080/api/v1')
TOKEN = os.environ.get('TOKEN')  # A public service needs none.


def get(path):
    request = Request(f'{BASE}/{path}', headers={'Authorization': f'Bearer {TOKEN}'} if TOKEN else {})
    with urlopen(request) as answer:
        return answer.read()


def read_level(level, query=''):
    text = gzip.decompress(get(f'download/{level}.geojson.gz?release={release}{query}'))
    return gpd.GeoDataFrame.from_features(json.loads(text), crs='EPSG:4326')


release = json.loads(get(''))['release']

# %% Which municipality is each place in? A place that lies in several has several rows.
towns = read_level('lv3', '&gid-0=ESP')
places = pd.DataFrame({'place': ['Sol', 'Zocodover'], 'lon': [-3.7038, -4.0214], 'lat': [40.4168, 39.8593]})
points = gpd.GeoDataFrame(places, geometry=gpd.points_from_xy(places.lon, places.lat), crs='EPSG:4326')
found = points.sjoin(towns[['GID_3', 'NAME_3', 'geometry']], how='left', predicate='within')

# %% Areas in an equal-area projection. Rounding may make polygons invalid, so mend them after projecting.
flat = towns.to_crs('EPSG:3035')
flat.geometry = flat.make_valid()
towns['km2'] = flat.area / 1e6

# %% Weights: the neighbours of each province, islands too, and the mean of their areas
provinces = read_level('lv2', '&gid-0=ESP&geometry=medium')
provinces['km2'] = provinces.to_crs('EPSG:3035').area / 1e6
table = pd.read_csv(io.BytesIO(get(f'download/lv2.neighbours.csv.gz?release={release}')), compression='gzip', dtype=str)
pairs = provinces[['GID_2']].merge(table, how='left', left_on='GID_2', right_on='gid')
weights = {gid: sorted(own.dropna()) for gid, own in pairs.groupby('GID_2').neighbour_gid}
near = pairs.merge(provinces[['GID_2', 'km2']], left_on='neighbour_gid', right_on='GID_2')
provinces['near_km2'] = provinces.GID_2.map(near.groupby('gid').km2.mean())

# %% A tile, as a map has it: GDAL 3.8 and later, which comes with pyogrio, reads the archive of a level
with open('lv2.pmtiles', 'wb') as file:
    file.write(get(f'download/lv2.pmtiles?release={release}'))
tile = gpd.read_file('lv2.pmtiles', layer='units', bbox=(-4e5, 4.9e6, -3.9e5, 4.91e6))

# %% A choropleth, which a notebook shows: display(SVG(drawing)) of IPython.display
shades = pd.qcut(provinces.km2, 5, labels=['#eff3ff', '#bdd7e7', '#6baed6', '#3182bd', '#08519c'])
drawn = provinces.to_crs('EPSG:3035').geometry.scale(yfact=-1, origin=(0, 0))
shapes = ''.join(shape.svg(2000, shade, 1) for shape, shade in zip(drawn, shades))
west, north, east, south = drawn.total_bounds
drawing = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{west} {north} {east - west} {south - north}">{shapes}</svg>'
