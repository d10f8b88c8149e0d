// The one door to gdal-async: nothing else imports it.
import gdal from 'gdal-async';

export { gdal };
