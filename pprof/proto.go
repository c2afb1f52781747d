package pprof

// Field numbers of https://github.com/google/pprof/blob/main/proto/profile.proto, only those that are written here.
const (
	profileSampleType        = 1
	profileSample            = 2
	profileMapping           = 3
	profileLocation          = 4
	profileFunction          = 5
	profileStringTable       = 6
	profileTimeNanos         = 9
	profileDurationNanos     = 10
	profilePeriodType        = 11
	profilePeriod            = 12
	profileComment           = 13
	profileDefaultSampleType = 14

	valueTypeType = 1
	valueTypeUnit = 2

	sampleLocationID = 1
	sampleValue      = 2
	sampleLabel      = 3

	labelKey     = 1
	labelStr     = 2
	labelNum     = 3
	labelNumUnit = 4

	mappingID              = 1
	mappingMemoryStart     = 2
	mappingMemoryLimit     = 3
	mappingFileOffset      = 4
	mappingFilename        = 5
	mappingBuildID         = 6
	mappingHasFunctions    = 7
	mappingHasFilenames    = 8
	mappingHasLineNumbers  = 9
	mappingHasInlineFrames = 10

	locationID        = 1
	locationMappingID = 2
	locationAddress   = 3
	locationLine      = 4

	lineFunctionID = 1
	lineLine       = 2
	lineColumn     = 3

	functionID         = 1
	functionName       = 2
	functionSystemName = 3
	functionFilename   = 4
	functionStartLine  = 5
)
