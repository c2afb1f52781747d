// Words counts the words of a file, and prints the most frequent one. It keeps more than it needs: each line, in remember.
//
//	g++ -g -O2 -o words words.cc
//	cgoheap run -exact ./words FILE
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

static std::vector<std::string *> *lines = new std::vector<std::string *>;

__attribute__((noinline)) static void remember(const std::string &line)
{
	lines->push_back(new std::string(line));
}

__attribute__((noinline)) static void count(std::map<std::string, int> &counts, const std::string &line)
{
	std::istringstream words(line);
	for (std::string word; words >> word;)
		counts[word]++;
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		std::cerr << "words: one file is needed\n";
		return 2;
	}
	std::ifstream file(argv[1]);
	if (!file) {
		std::cerr << "words: " << argv[1] << " cannot be read\n";
		return 1;
	}
	std::map<std::string, int> counts;
	for (std::string line; std::getline(file, line);) {
		remember(line);
		count(counts, line);
	}
	auto most = counts.begin();
	for (auto at = counts.begin(); at != counts.end(); ++at)
		if (at->second > most->second)
			most = at;
	if (most != counts.end())
		std::cout << most->first << ": " << most->second << "\n";
	return 0;
}
