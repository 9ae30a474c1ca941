// FMUs that cannot be used, each broken in one way. Whatever is wrong, the answer is one sentence
// that names the file, and never a crash.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <functional>

#include "files/temporary_folder.hpp"
#include "files/zip.hpp"
#include "fmi/import/fmu.hpp"
#include "support/descriptions.hpp"
#include "support/zip_surgery.hpp"

namespace tandem::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

using Build = std::function<void(const fs::path&)>;

struct Row {
    std::string name;
    Build build;
    std::string words;
    bool in_binary = false;  ///< the description is fine, only a run fails
};

void PrintTo(const Row& row, std::ostream* stream) { *stream << row.name; }

const std::string xml_name = "modelDescription.xml";

Build bytes(std::string content) {
    return [content](const fs::path& path) { write_bytes(path, content); };
}

Build zip(std::vector<ZipItem> items) {
    return [items](const fs::path& path) { write_zip(path, items); };
}

/// A valid FMU whose archive is changed afterwards.
Build changed_zip(const std::function<void(std::string&)>& change) {
    return [change](const fs::path& path) {
        write_zip(path, {{xml_name, fmi2_description, {}}, {"resources/a.txt", "aaaa", {}}});
        std::string content = read_bytes(path);
        change(content);
        write_bytes(path, content);
    };
}

Build xml(std::string text) { return zip({{xml_name, std::move(text), {}}}); }

Build xml1(const char* from, const char* to) { return xml(with(fmi1_description, from, to)); }
Build xml2(const char* from, const char* to) { return xml(with(fmi2_description, from, to)); }
Build xml3(const char* from, const char* to) { return xml(with(fmi3_description, from, to)); }

/// A valid description beside a binary.
Build binary(const std::string& name, std::string content) {
    return zip({{xml_name, fmi2_description, {}}, {"binaries/" + name, std::move(content), {}}});
}

std::string library_for_another_processor() {
    std::string library = read_bytes(TANDEM_NO_FMI_LIBRARY);
    library.at(18) = static_cast<char>(183);  // e_machine: AArch64
    return library;
}

std::string nested(int depth) {
    std::string text = "<fmiModelDescription>";
    for (int i = 0; i < depth; ++i) text += "<a>";
    for (int i = 0; i < depth; ++i) text += "</a>";
    return text + "</fmiModelDescription>";
}

std::string utf16(const std::string& text) {
    std::string wide = "\xFF\xFE";
    for (const char c : text) wide += {c, '\0'};
    return wide;
}

std::vector<Row> archive_rows() {
    return {
        {"no_file", [](const fs::path&) {}, "does not exist"},
        {"empty_file", bytes(""), "is empty"},
        {"not_a_zip", bytes("just some text"), "not a zip archive"},
        {"truncated", changed_zip([](auto& zip) { zip.resize(zip.size() / 2); }), "zip"},
        {"only_the_end_record", changed_zip([](auto& zip) { zip.erase(0, zip.rfind("PK\5\6")); }),
         "zip"},
        {"empty_folder", [](const fs::path& path) { fs::create_directory(path); },
         "contains no modelDescription.xml"},
        {"zip_without_description", zip({{"readme.txt", "hello", {}}}),
         "contains no modelDescription.xml"},
        {"description_in_a_subfolder", zip({{"decay/" + xml_name, fmi2_description, {}}}),
         "'decay/modelDescription.xml'"},
        {"name_with_two_dots", zip({{xml_name, fmi2_description, {}}, {"../x", "1", {}}}),
         "leads out of"},
        {"name_with_two_dots_inside",
         zip({{xml_name, fmi2_description, {}}, {"a/../../x", "1", {}}}), "leads out of"},
        {"name_with_two_dots_and_backslashes",
         zip({{xml_name, fmi2_description, {}}, {"a\\..\\..\\x", "1", {}}}), "leads out of"},
        {"absolute_name", zip({{xml_name, fmi2_description, {}}, {"/etc/x", "1", {}}}),
         "is absolute"},
        {"name_with_a_drive", zip({{xml_name, fmi2_description, {}}, {"C:\\x", "1", {}}}),
         "is absolute"},
        {"name_with_a_control_character",
         zip({{xml_name, fmi2_description, {}}, {"a\nb", "1", {}}}), "control character"},
        {"symbolic_link",
         changed_zip([](auto& zip) { set_zip_field(zip, zip_attributes, 0120777U << 16U); }),
         "a link or device"},
        {"bomb_by_declared_size",
         changed_zip([](auto& zip) { set_zip_field(zip, zip_real_size, 0xFFFFFFF0U); }),
         "zip bomb"},
        {"bomb_by_count",
         [](const fs::path& path) { write_bytes(path, zip_with_empty_files(100'001)); },
         "zip bomb"},
        {"more_data_than_declared",
         changed_zip([](auto& zip) { set_zip_field(zip, zip_real_size, 10); }),
         "longer than the archive declares"},
        {"encrypted", changed_zip([](auto& zip) { set_zip_field(zip, zip_flags, 1); }),
         "encrypted"},
        {"unknown_compression", changed_zip([](auto& zip) { set_zip_field(zip, zip_method, 97); }),
         "cannot be unpacked"},
        {"damaged_data", changed_zip([](auto& zip) { zip.replace(60, 20, std::string(20, '!')); }),
         "cannot be unpacked"},
        {"two_files_of_one_name",
         [](const fs::path& path) {
             write_zip(path, {{xml_name, fmi2_description, {}}, {"a1", "1", {}}, {"a2", "2", {}}});
             std::string content = read_bytes(path);
             replace_all(content, "a2", "a1");
             write_bytes(path, content);
         },
         "'a1' twice"},
        {"file_and_folder_of_one_name",
         zip({{xml_name, fmi2_description, {}}, {"a", "1", {}}, {"a/b", "2", {}}}),
         "both as a file and as a folder"},
    };
}

std::vector<Row> xml_rows() {
    return {
        {"empty_description", xml(""), "not well-formed XML"},
        {"description_that_is_no_xml", xml("hello"), "not well-formed XML"},
        {"unclosed_element", xml2("</ModelVariables>", ""), "not well-formed XML"},
        {"wrong_root", xml("<html/>"), "not <fmiModelDescription>"},
        {"deep_nesting", xml(nested(100'000)), "deeper than 256"},
        {"entity_bomb",
         xml("<!DOCTYPE a [<!ENTITY b \"bbbb\"><!ENTITY c \"&b;&b;&b;\">]>\n" +
             with(fmi2_description, R"(<?xml version="1.0" encoding="UTF-8"?>)", "")),
         "document type declaration"},
        {"not_utf8", xml2("by hand", "by h\xE4nd"), "not valid UTF-8"},
        {"utf16", xml(utf16(fmi2_description)), "UTF-16"},
        {"null_byte", xml(with(fmi2_description, "by hand", std::string("by\0hand", 7))),
         "control character"},
        {"attribute_twice", xml2(R"(guid="{2}")", R"(guid="{2}" guid="{2}")"), "twice"},
        {"section_twice", xml2("<LogCategories>", "<LogCategories/><LogCategories>"), "twice"},
        {"huge_name",
         xml(with(fmi2_description, R"(name="label")",
                  "name=\"" + std::string(2'000'000, 'n') + "\"")),
         "2000000 characters long"},
        {"huge_attribute_count",
         xml(with(fmi2_description, R"(name="label")",
                  [] {
                      std::string text = "name=\"label\"";
                      for (int i = 0; i < 1000; ++i) text += " a" + std::to_string(i) + "=\"\"";
                      return text;
                  }())),
         "more than 64 attributes"},
    };
}

std::vector<Row> description_rows() {
    return {
        {"no_version", xml2(R"(fmiVersion="2.0")", ""), "no attribute 'fmiVersion'"},
        {"unknown_version", xml2(R"(fmiVersion="2.0")", R"(fmiVersion="4.0")"),
         "FMI version '4.0' is not known"},
        {"no_model_name", xml2(R"(modelName="Decay")", ""), "no attribute 'modelName'"},
        {"no_guid", xml1(R"(guid="{1}")", ""), "no attribute 'guid'"},
        {"no_token", xml3(R"(instantiationToken="{3}")", ""), "no attribute 'instantiationToken'"},
        {"no_identifier_in_fmi1", xml1(R"(modelIdentifier="decay")", ""),
         "no attribute 'modelIdentifier'"},
        {"no_identifier_in_fmi2", xml2(R"(<CoSimulation modelIdentifier="decay")", "<CoSimulation"),
         "no attribute 'modelIdentifier'"},
        {"identifier_that_is_a_path",
         xml2(R"(<CoSimulation modelIdentifier="decay")",
              R"(<CoSimulation modelIdentifier="../../decay")"),
         "is not a name"},
        {"no_kind",
         xml(R"(<fmiModelDescription fmiVersion="2.0" modelName="a" guid="b"><ModelVariables/>)"
             R"(<ModelStructure/></fmiModelDescription>)"),
         "neither Model Exchange nor Co-Simulation"},
        {"no_variables_section",
         xml(R"(<fmiModelDescription fmiVersion="2.0" modelName="a" guid="b">)"
             R"(<CoSimulation modelIdentifier="a"/></fmiModelDescription>)"),
         "no <ModelVariables>"},
        {"wrong_implementation",
         xml1("<CoSimulation_StandAlone>", "<Other/><CoSimulation_StandAlone2>"), "XML"},
        {"variable_without_name", xml2(R"(name="u" )", ""), "no attribute 'name'"},
        {"variable_without_reference", xml2(R"(name="u" valueReference="3")", R"(name="u")"),
         "no attribute 'valueReference'"},
        {"variable_without_type", xml2(R"(<Real start="0"/>)", ""), "'u' has no type"},
        {"negative_reference", xml2(R"(valueReference="3")", R"(valueReference="-3")"),
         "'valueReference' of <ScalarVariable> cannot be '-3'"},
        {"reference_too_large", xml3(R"(valueReference="3")", R"(valueReference="4294967296")"),
         "cannot be '4294967296'"},
        {"two_variables_of_one_reference", xml3(R"(valueReference="4")", R"(valueReference="3")"),
         "same value reference 3"},
        {"types_in_a_circle",
         xml2(
             R"(<SimpleType name="Mode">)",
             R"(<SimpleType name="A"><Real declaredType="B"/></SimpleType>)"
             R"(<SimpleType name="B"><Real declaredType="A"/></SimpleType><SimpleType name="Mode">)"),
         "by way of itself"},
        {"type_declared_by_itself",
         xml3(R"(<Float64Type name="Temperature")",
              R"(<Float64Type name="Temperature" declaredType="Temperature")"),
         "by way of itself"},
        {"enumeration_item_without_number", xml2(R"(value="7")", R"(value="seven")"), "'seven'"},
        {"derivative_of_nothing", xml2(R"(derivative="2")", R"(derivative="77")"),
         "variable 77, which does not exist"},
        {"derivative_of_index_zero", xml2(R"(derivative="2")", R"(derivative="0")"),
         "variable 0, which does not exist"},
        {"derivative_of_itself", xml2(R"(derivative="2")", R"(derivative="3")"),
         "derivative of itself"},
        {"derivative_listed_twice", xml2("<Derivatives>", R"(<Derivatives><Unknown index="3"/>)"),
         "'der(x)' twice"},
        {"derivative_that_is_a_boolean",
         xml2("<Derivatives>", R"(<Derivatives><Unknown index="9"/>)"), "not a real number"},
        {"dependency_index_out_of_range", xml2(R"(dependencies="2 5")", R"(dependencies="2 50")"),
         "variable 50, which does not exist"},
        {"dependency_that_is_no_number", xml2(R"(dependencies="2 5")", R"(dependencies="2 u")"),
         "cannot be 'u'"},
        {"output_reference_unknown",
         xml3(R"(<Output valueReference="4")", R"(<Output valueReference="400")"),
         "variable 400, which does not exist"},
        {"clock_reference_unknown", xml3(R"(clocks="13" previous)", R"(clocks="99" previous)"),
         "variable 99, which does not exist"},
        {"clock_without_interval", xml3(R"(intervalVariability="constant")", ""),
         "no intervalVariability"},
        {"dimension_of_no_structural_parameter",
         xml3(R"(<Dimension valueReference="10"/><Alias)",
              R"(<Dimension valueReference="5"/><Alias)"),
         "no structural parameter"},
        {"dimension_of_unknown_parameter",
         xml3(R"(<Dimension valueReference="10"/><Alias)",
              R"(<Dimension valueReference="55"/><Alias)"),
         "which does not exist"},
        {"dimension_without_size", xml3(R"(<Dimension start="3"/>)", "<Dimension/>"),
         "either a size or a parameter"},
        {"negative_dimension", xml3(R"(<Dimension start="3"/>)", R"(<Dimension start="-3"/>)"),
         "cannot be '-3'"},
        {"dimension_that_overflows",
         xml3(R"(<Dimension start="3"/>)", R"(<Dimension start="9223372036854775809"/>)"),
         "more than 10000000 elements"},
        {"dimensions_whose_product_overflows",
         xml3(R"(<Dimension start="3"/>)",
              R"(<Dimension start="4294967296"/><Dimension start="4294967296"/>)"),
         "more than 10000000 elements"},
        {"absurd_number_of_states",
         xml1(R"(numberOfContinuousStates="1")", R"(numberOfContinuousStates="4000000000")"),
         "numberOfContinuousStates"},
    };
}

std::vector<Row> binary_rows() {
    return {
        {"no_binary", xml(fmi2_description), "no binary for this platform", true},
        {"binary_for_windows_only", binary("win64/decay.dll", "MZ"), "only for: win64", true},
        {"binary_that_is_text", binary("linux64/decay.so", "not a library"),
         "not a Linux shared library", true},
        {"empty_binary", binary("linux64/decay.so", ""), "not a Linux shared library", true},
        {"binary_cut_off",
         binary("linux64/decay.so", read_bytes(TANDEM_NO_FMI_LIBRARY).substr(0, 200)),
         "cannot be loaded", true},
        {"binary_for_another_processor",
         binary("linux64/decay.so", library_for_another_processor()), "another processor", true},
        {"binary_without_functions", binary("linux64/decay.so", read_bytes(TANDEM_NO_FMI_LIBRARY)),
         "decay.so", true},
        {"two_binaries_of_other_names",
         zip({{xml_name, fmi2_description, {}},
              {"binaries/linux64/a.so", "1", {}},
              {"binaries/linux64/b.so", "2", {}}}),
         "is called decay.so", true},
    };
}

std::vector<Row> all_rows() {
    std::vector<Row> rows = archive_rows();
    for (const auto& more : {xml_rows(), description_rows(), binary_rows()})
        rows.insert(rows.end(), more.begin(), more.end());
    return rows;
}

class Malformed : public testing::TestWithParam<Row> {
protected:
    void SetUp() override { GetParam().build(path_); }

    TemporaryFolder folder_;
    fs::path path_ = folder_.path() / "broken.fmu";
};

TEST_P(Malformed, fmu_is_refused_with_a_sentence_that_names_it) {
    try {
        const auto fmu = fmi::Fmu::open(path_);
        if (!GetParam().in_binary) FAIL() << "it was opened";
        fmu->library(fmi::Kind::co_simulation);
        FAIL() << "its library was loaded";
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), HasSubstr("broken.fmu"));
        EXPECT_THAT(error.what(), HasSubstr(GetParam().words));
        EXPECT_FALSE(error.hint().empty());
        EXPECT_LT(error.problem().size(), 400U);
    }
}

int run(const std::string& arguments) {
    const int status = std::system((std::string(TANDEM_EXE) + " " + arguments).c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_P(Malformed, fmu_gives_exit_code_2_and_one_sentence_on_the_command_line) {
    const std::string fmu = path_.string();
    const std::string out = (folder_.path() / "out").string();
    const std::string err = (folder_.path() / "err").string();
    const std::string verb = GetParam().in_binary ? "run " : "info ";
    EXPECT_EQ(run(verb + fmu + " >" + out + " 2>" + err), 2);
    const std::string said = read_bytes(err);
    EXPECT_THAT(said, HasSubstr("broken.fmu"));
    EXPECT_THAT(said, HasSubstr(GetParam().words));
    EXPECT_TRUE(said.starts_with("error: ")) << said;
    EXPECT_EQ(said.find("\nerror:"), std::string::npos) << said;
    EXPECT_EQ(run("check " + fmu + " >" + out + " 2>" + err), 2);
    EXPECT_THAT(read_bytes(out), HasSubstr(GetParam().words));
    EXPECT_EQ(read_bytes(err), "");
}

INSTANTIATE_TEST_SUITE_P(Every, Malformed, testing::ValuesIn(all_rows()),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace tandem::test
