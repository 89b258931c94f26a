import * as z from 'zod';
import { nameText } from './fields.js';

/** The entry of a directory that a subject or group was made from. */
export const entry = z
  .strictObject({
    id: z.string().min(1).max(64).meta({ description: 'The id that the directory knows it by.' }),
    name: nameText.optional().meta({ description: 'Its name there, where that is not the name here.' }),
    external_id: z.string().min(1).max(1024).optional().meta({ description: "The directory's own id of it." }),
  })
  .optional()
  .meta({ description: 'The entry of the directory that this was made from. Decisions do not read it.' });
