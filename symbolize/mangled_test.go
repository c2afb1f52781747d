package symbolize

// usual are C++ names of the kinds that most programs are full of.
var usual = []string{
	"_Z3foov", "_Z3fooii.cold", "_ZN3foo3barEi", "_ZNK3foo3barEv", "_ZNKR3foo3barEv", "_ZNO3foo3barERKS_",
	"_ZN12_GLOBAL__N_13fooEPKc", "_ZL3fooi", "_ZN3fooC2Ev", "_ZN3fooD0Ev", "_ZN3fooIiEC1ERKS0_", "_ZN3fooB5cxx11Ev",
	"_ZNSt6vectorI3FooSaIS0_EE9push_backEOS0_", "_ZNKSt6vectorI3FooSaIS0_EE4sizeEv", "_ZNSsC1ERKSs", "_ZNSoD1Ev",
	"_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc", "_ZltRK3fooS1_", "_ZltI3fooEbRKT_S3_",
	"_ZN3fooclEi", "_ZN3foonwEm", "_ZSt4moveIRiEONSt16remove_referenceIT_E4typeEOS2_",
	"_Z3barILi3ELb1ELm7ELc65EEvv", "_Z3barILin3EEvv", "_Z3barILN3foo4kindE2EEvv", "_Z3barIJidEEvDpT_",
	"_Z3barIJRiKcEEvDpOT_", "_Z3barIJEEvDpOT_", "_ZN3fooE", "_ZSt4makeIJRiEESt5tupleIJDpOT_EEi",
	"_Z3barPFvvE", "_Z3barRFibE", "_ZNSt8functionIFbRKN3foo3KeyEEEC1Ev", "_ZZ3barvENKUlvE_clEv", "_ZZ3bariENKUliE0_clEi",
	"_ZZ3barvE5local", "_ZZ3barvE5local_0", "_ZZNK3foo3barEvEN5local3runEv", "_ZNSolsEPFRSoS_E",
	"_Z1fIiEDcT_", "_Z1fIiEDav", "_Z1fIiEN9enable_ifIXsrSt2isIT_E5valueES2_E4typeES2_", "_Z1fIiE2ifIXsrT_5valueEET_v",
	"_Z4sortIZ3barvEUlRKT_E_EvS0_S0_", "_Z1fDnDsDiDu", "_Z1fPKPKcz",
}

// unusual are names of rarer kinds, and what is none.
var unusual = []string{
	"", "_RC0", "_Z", "_ZN", "_ZN3foo", "main", "_ZTV3foo", "_ZThn16_N3fooD1Ev", "_ZN3foocvbEv", "_Z3fooA3_i", "_Z3fooM3bari",
	"_Z3fooIiEDTfp_ET_", "_Z3fooIXadL_Z3barvEEEvv", "_ZN3foo17h0123456789abcdefE", "_ZNS_3fooEv", "_ZSt16forward_as_tupleIJRiEESt5tupleIJDpOT_EES4_", "_Z1fT_", "_Z1fS0_",
	"_Z3fooUt_", "_ZZ3barvEs", "_Z1fVKi", "_Z999999999999999999999foo", "_RNvC3foo3bar", "_ZN3fooUt_C2Ev",
}

// longNames are long names of real programs, with many uses of earlier parts after a template parameter, and with packs.
var longNames = []string{
	"_ZN4llvm12PatternMatch5matchINS_5ValueENS0_16match_combine_orINS3_INS0_12MaxMin_matchINS_8ICmpInstENS0_14specificval_tyE" +
		"NS0_7bind_tyIS2_EENS0_12smax_pred_tyELb1EEENS4_IS5_S6_S8_NS0_12smin_pred_tyELb1EEEEENS3_INS4_IS5_S6_S8_NS0_12umax" +
		"_pred_tyELb1EEENS4_IS5_S6_S8_NS0_12umin_pred_tyELb1EEEEEEEEEbPT_RKT0_",
	"_ZN14duckdb_httplib6detail29process_multipart_ranges_dataIZNS0_27write_multipart_ranges_dataIZNS_6Server27write_content" +
		"_with_providerERNS_6StreamERKNS_7RequestERNS_8ResponseERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESI_EUl" +
		"vE_EEbS5_S8_SA_SI_SI_RKT_EUlSI_E_ZNS2_ISJ_EEbS5_S8_SA_SI_SI_SM_EUlSI_E0_ZNS2_ISJ_EEbS5_S8_SA_SI_SI_SM_EUlmmE1_EEbS8" +
		"_SA_SI_SI_SK_T0_T1_",
	"_ZNSt8_Rb_treeIKPKcSt4pairIS2_S3_IS2_bEESt10_Select1stIS5_ESt4lessIS2_ESaIS5_EE22_M_emplace_hint_uniqueIJS3_IS1_S3_IS1_" +
		"bEEEEESt17_Rb_tree_iteratorIS5_ESt23_Rb_tree_const_iteratorIS5_EDpOT_",
	"_ZNSt4pairIKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEiEC4IJRS6_EJLm0EEJEJEEERSt5tupleIJDpT_EERSA_IJDpT1_EE" +
		"St12_Index_tupleIJXspT0_EEESJ_IJXspT2_EEE",
}
