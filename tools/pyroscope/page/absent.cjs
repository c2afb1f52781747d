// Stands in for packages whose components the page never shows.
module.exports = { OpenAssistantButton: () => null };
