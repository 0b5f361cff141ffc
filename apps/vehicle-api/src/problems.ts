import { problemKinds } from '@hearth/chassis/errors'

/** The problems of vehicle data. */
export const vehicleProblems = problemKinds({
  vehicle_not_found: [
    404,
    'There is no such vehicle',
    'No make, model or model year of the data has this name. The member `suggestions` lists names that are near, as they stand in a path: `make`, `make/model` or `make/model/year`. `GET /v1/vehicles` and `GET /v1/vehicles/{make}` list what there is. A vehicle that is known and has no complaints is answered with zeros.',
  ],
  complaint_not_found: [
    404,
    'There is no such complaint',
    'No complaint of the data has this id. Ids are `cmp_` and the ODI number of the complaint; where one complaint was about several vehicles, `-2`, `-3` and so on follow. The member `suggestions` lists the ids of the same ODI number.',
  ],
})
