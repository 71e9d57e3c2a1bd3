/**
 * Joins the component tables, so that help, settings and runs see one place. A component is here because its folder's index
 * lists it; nothing registers itself.
 */

export { type ByteFile, targetOf } from '../sinks/atomic.js';
export { fieldMap } from '../sinks/fields.js';
export { type SinkRequest, type SinkSpec, sinks } from '../sinks/index.js';
export { METADATA_POLICIES, type MetadataPolicy } from '../sinks/metadata.js';
export { NumberedFiles } from '../sinks/numbered-files.js';
export { type Place, placeOf } from '../sinks/place.js';
export { canSqueeze } from '../sinks/squeeze.js';
export type { Squeezing } from '../sinks/store.js';
export { located } from '../sources/files.js';
export { type FormatOptions, type FormatSpec, formats, type InputOptions, inputs, recordOptions } from '../sources/index.js';
export { type InflateOptions, inflated } from '../sources/inflate.js';
export { type CutFunction, isModule, moduleStrategy, strategyOf } from '../transforms/boundaries/custom.js';
export { firstShown } from '../transforms/boundaries/levels.js';
export { withRecordLevels } from '../transforms/boundaries/records.js';
export { chunker } from '../transforms/chunk.js';
export { type StrategySpec, strategies } from '../transforms/index.js';
export { normalise, WHITESPACE_MODES as whitespaceModes, type WhitespaceMode } from '../transforms/normalise.js';
